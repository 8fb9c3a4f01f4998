import { Component, type ComponentChildren } from 'preact';
import { Button, EmptyNotice } from '../kit/index.js';
import { t } from '../text/index.js';

interface ViewErrorBoundaryProps {
  /** A new value tries again: another route, say. */
  readonly resetKey: unknown;
  readonly children: ComponentChildren;
}

interface ViewErrorBoundaryState {
  readonly failedFor?: { readonly of: unknown };
}

/** Says that a view failed, and leaves the rest of the page in use. The error itself goes to the console. */
export class ViewErrorBoundary extends Component<ViewErrorBoundaryProps, ViewErrorBoundaryState> {
  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ failedFor: { of: this.props.resetKey } });
  }

  render() {
    const { failedFor } = this.state;
    if (failedFor === undefined || failedFor.of !== this.props.resetKey) return this.props.children;
    return (
      <div class="opening" role="alert">
        <EmptyNotice icon="warning">{t('error.unexpected')}</EmptyNotice>
        <Button onClick={() => location.reload()}>{t('error.reload')}</Button>
      </div>
    );
  }
}
