/**
 * German texts for frequent refusals of the API, by the server's English text with `{names}` in place of its values, or
 * by the code. Other refusals are shown in English.
 */
export const refusalTexts: Readonly<Record<string, string>> = {
  'Wrong password!': 'Das Passwort ist falsch.',
  'New password is too weak!': 'Das neue Passwort ist zu leicht zu erraten.',
  'The password is too weak.': 'Das Passwort ist zu leicht zu erraten.',
  'Enter a valid email address.': 'Das ist keine gültige E-Mail-Adresse.',
  'Invalid address.': 'Das ist keine gültige Adresse.',
  'Outside your domain.': 'Diese Domain ist hier nicht erlaubt.',
  'Already has an account.': 'Diese Person hat schon ein Konto.',
  'Account has been deactivated.': 'Dieses Konto ist deaktiviert.',
  "Some emails did not validate, so we didn't send any invitations.":
    'Einige Adressen sind nicht gültig. Es wurde niemand eingeladen.',
  "We weren't able to invite anyone.": 'Es konnte niemand eingeladen werden.',
  'You must specify at least one email address.': 'Gib mindestens eine E-Mail-Adresse an.',
  'Name too long!': 'Der Name ist zu lang.',
  'Name too short!': 'Der Name ist zu kurz.',
  'Invalid characters in name!': 'Der Name hat Zeichen, die nicht erlaubt sind.',
  'Name is already in use!': 'Dieser Name ist schon vergeben.',
  'Username already in use': 'Dieser Benutzername ist schon vergeben.',
  'Insufficient permission': 'Dazu fehlt dir die Berechtigung.',
  'Must be an organization administrator': 'Das darf nur die Administration.',
  'Must be an organization owner': 'Das dürfen nur Eigentümer.',
  'Not allowed for guest users': 'Gäste dürfen das nicht.',
  'Invalid message(s)': 'Diese Nachricht gibt es nicht mehr, oder du hast keinen Zugriff.',
  'Invalid stream ID': 'Diesen Stream gibt es nicht, oder du hast keinen Zugriff.',
  'Only organization administrators can send to this stream.':
    'In diesem Stream darf nur die Administration schreiben.',
  'Direct messages are disabled in this organization.': 'Direktnachrichten sind in dieser Organisation abgeschaltet.',
  'The time limit for editing this message has passed': 'Diese Nachricht lässt sich nicht mehr bearbeiten.',
  'A user has left and joined this stream too often to join it again.':
    'Jemand hat diesen Stream zu oft verlassen und wieder betreten.',
  'The edit history of this message is full.': 'Diese Nachricht wurde zu oft bearbeitet.',
  'A message was moved between streams too often to be moved again.':
    'Eine der Nachrichten wurde zu oft in andere Streams verschoben.',
  'The time limit for deleting this message has passed': 'Diese Nachricht lässt sich nicht mehr löschen.',
  "You don't have permission to edit this message": 'Du darfst diese Nachricht nicht bearbeiten.',
  "You don't have permission to move this message": 'Du darfst diese Nachricht nicht verschieben.',
  "You don't have permission to delete this message": 'Du darfst diese Nachricht nicht löschen.',
  'Message already deleted': 'Diese Nachricht ist schon gelöscht.',
  'Scheduled message was already sent': 'Diese Nachricht ist schon gesendet.',
  'Could not decode image; did you upload an image file?': 'Diese Datei ist kein lesbares Bild.',
  'Image size exceeds limit.': 'Dieses Bild ist zu groß.',
  'A custom emoji with this name already exists.': 'Es gibt schon ein Emoji mit diesem Namen.',
  "Invalid stream name '{name}'": 'Ein Stream kann nicht „{name}“ heißen.',
  "Stream name '{name}' is already taken.": 'Es gibt schon einen Stream mit dem Namen „{name}“.',
  'Stream name too long (limit: {limit} characters).': 'Der Name eines Streams hat höchstens {limit} Zeichen.',
  'Invalid character in stream name, at position {position}!':
    'Im Namen des Streams ist das {position}. Zeichen nicht erlaubt.',
  'Invalid character in topic, at position {position}!': 'Im Thema ist das {position}. Zeichen nicht erlaubt.',
  '{field} is too long (limit: {limit} characters)': 'Dieser Text ist zu lang. Er hat höchstens {limit} Zeichen.',
  "Not authorized to send to stream '{stream}'": 'In „{stream}“ darfst du nicht schreiben.',
  'Uploaded file is larger than the allowed limit of {n} MiB': 'Diese Datei ist zu groß. Erlaubt sind {n} MiB.',
  "Email '{email}' already in use": 'Die Adresse {email} ist schon vergeben.',
  "Email '{email}' not allowed in this organization": 'Die Adresse {email} ist in dieser Organisation nicht erlaubt.',
  "User group '{name}' already exists.": 'Es gibt schon eine Gruppe mit dem Namen „{name}“.',
  "You're making too many attempts! Try again in {seconds} seconds.":
    'Zu viele Versuche. Warte {seconds} Sekunden, dann versuche es noch einmal.',
  STREAM_DOES_NOT_EXIST: 'Diesen Stream gibt es nicht, oder du hast keinen Zugriff.',
  CANNOT_DEACTIVATE_LAST_USER: 'Das letzte Konto dieser Art lässt sich nicht deaktivieren.',
  REALM_UPLOAD_QUOTA: 'Der Speicherplatz dieser Organisation reicht für diese Datei nicht.',
};
