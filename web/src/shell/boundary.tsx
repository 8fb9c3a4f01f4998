import { Component, type ComponentChildren } from 'preact';
import { EmptyNotice, makeReloadAction } from '../kit/index.js';
import { t } from '../text/index.js';

interface ViewErrorBoundaryProps {
  /** A change of it renders the view again, for example after a change of the route. */
  readonly resetKey: unknown;
  readonly children: ComponentChildren;
}

interface ViewErrorBoundaryState {
  readonly failedFor?: { readonly of: unknown };
}

/** Shows a notice in place of a view that failed, so that the rest of the page works. The error goes to the console. */
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
        <EmptyNotice icon="warning" action={makeReloadAction()}>
          {t('error.unexpected')}
        </EmptyNotice>
      </div>
    );
  }
}
