import { Component, type ComponentChildren } from 'preact';
import { Button, Empty } from '../kit/index.js';
import { t } from '../text/index.js';

interface BoundaryProps {
  /** A new value tries again: another route, say. */
  readonly of: unknown;
  readonly children: ComponentChildren;
}

interface BoundaryState {
  readonly failedFor?: { readonly of: unknown };
}

/** Says that a view failed, and leaves the rest of the page in use. The error itself goes to the console. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ failedFor: { of: this.props.of } });
  }

  render() {
    const { failedFor } = this.state;
    if (failedFor === undefined || failedFor.of !== this.props.of) return this.props.children;
    return (
      <div class="opening" role="alert">
        <Empty icon="warning">{t('error.unexpected')}</Empty>
        <Button onClick={() => location.reload()}>{t('error.reload')}</Button>
      </div>
    );
  }
}
