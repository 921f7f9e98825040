import { Component, type ComponentChildren } from 'preact'
import { say } from './words/words.js'

interface Props {
  children: ComponentChildren
}

/** Shows a way on if a view cannot be drawn, instead of an empty page. */
export class Boundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static override getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override componentDidCatch(error: unknown): void {
    console.error(error)
  }

  override render({ children }: Props, { hasFailed }: { hasFailed: boolean }) {
    if (!hasFailed) return children
    return (
      <main class="column stack">
        <h1>{say('boundary.title')}</h1>
        <p>{say('boundary.text')}</p>
        <div class="row">
          <button type="button" class="primary" onClick={() => location.reload()}>
            {say('boundary.again')}
          </button>
        </div>
      </main>
    )
  }
}
