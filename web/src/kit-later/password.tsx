import { useState } from 'preact/hooks';
import { IconButton, TextField, type TextFieldProps } from '../kit/index.js';
import { t } from '../text/index.js';
import { LATER_ICONS } from './icons.js';

/** A password, with a button that shows it. */
export function PasswordField(props: Omit<TextFieldProps, 'type' | 'end'>) {
  const [shown, setShown] = useState(false);
  return (
    <TextField
      {...props}
      type={shown ? 'text' : 'password'}
      end={
        <IconButton
          icon={shown ? LATER_ICONS.eyeOff : LATER_ICONS.eye}
          label={t(shown ? 'sign-in.hide-password' : 'sign-in.show-password')}
          onClick={() => setShown(!shown)}
        />
      }
    />
  );
}
