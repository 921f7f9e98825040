import { type Signal, signal } from '@preact/signals'

/** How long announcements are collected, so that none replaces another unread. */
const collectMs = 100
/** How long an announcement stays. What appears later must not be read again. */
const stayMs = 5_000

class Region {
  readonly text: Signal<string> = signal('')
  #arrived: string[] = []
  #emptying: ReturnType<typeof setTimeout> | undefined

  add(text: string): void {
    if (this.#arrived.push(text) === 1) setTimeout(() => this.#speak(), collectMs)
  }

  #speak(): void {
    const text = this.#arrived.join(' ')
    this.#arrived = []
    // The same text twice would not be read again.
    this.text.value = this.text.value === text ? `${text}\u00a0` : text
    clearTimeout(this.#emptying)
    this.#emptying = setTimeout(() => (this.text.value = ''), stayMs)
  }
}

const polite = new Region()
const urgent = new Region()

/** Tells a screen reader what has changed, without moving the focus. */
export function announce(text: string, isUrgent = false): void {
  const region = isUrgent ? urgent : polite
  region.add(text)
}

/** Returns how to announce a text once for each key. */
export function announceOnce(): (key: string, text: string, isUrgent?: boolean) => void {
  const announced = new Set<string>()
  return (key, text, isUrgent = false) => {
    if (announced.has(key)) return
    announced.add(key)
    announce(text, isUrgent)
  }
}

/** What is announced. A modal dialog needs its own, because it silences the page behind it. */
export function Announcer() {
  return (
    <>
      <div class="unseen" role="status" aria-live="polite">
        {polite.text}
      </div>
      <div class="unseen" role="alert" aria-live="assertive">
        {urgent.text}
      </div>
    </>
  )
}
