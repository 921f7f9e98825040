import { type Signal, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { Notice } from '../../shared/forms/form.js'
import { faultText } from '../../shared/service.js'
import { say } from '../words/words.js'

/** What a view reads from the service. What was read stays while it is read again. */
export class Loaded<Value> {
  readonly data: Signal<Value | null> = signal(null)
  readonly fault: Signal<unknown> = signal(null)
  readonly #read: () => Promise<Value>
  #begun = 0
  #shown = 0
  #isClosed = false

  constructor(read: () => Promise<Value>) {
    this.#read = read
  }

  readonly load = async (): Promise<void> => {
    const turn = ++this.#begun
    try {
      const value = await this.#read()
      if (!this.#isNewest(turn)) return
      this.data.value = value
      this.fault.value = null
    } catch (error) {
      if (this.#isNewest(turn)) this.fault.value = error
    }
  }

  /** An older answer does not replace a later one. */
  #isNewest(turn: number): boolean {
    if (this.#isClosed || turn < this.#shown) return false
    this.#shown = turn
    return true
  }

  close(): void {
    this.#isClosed = true
  }
}

/** Reads when a view opens and when a key changes, and then each `everyMs`. */
export function useLoaded<Value>(
  read: () => Promise<Value>,
  keys: readonly unknown[] = [],
  everyMs = 0,
): Loaded<Value> {
  const loaded = useMemo(() => new Loaded(read), keys)
  useEffect(() => {
    void loaded.load()
    const timer = everyMs > 0 ? setInterval(loaded.load, everyMs) : undefined
    return () => {
      clearInterval(timer)
      loaded.close()
    }
  }, [loaded])
  return loaded
}

interface AwaitProps<Value> {
  loaded: Loaded<Value>
  children: (value: Value) => ComponentChildren
}

/** Shows what was read; before that, that it is being read or why it cannot be. */
export function Await<Value>({ loaded, children }: AwaitProps<Value>) {
  const { data, fault } = loaded
  return (
    <>
      {fault.value !== null && (
        <Notice kind="bad">
          <p>{faultText(fault.value)}</p>
          <button type="button" onClick={() => void loaded.load()}>
            {say('action.retry')}
          </button>
        </Notice>
      )}
      {data.value === null
        ? fault.value === null && <p class="muted">{say('lead.loading')}</p>
        : children(data.value)}
    </>
  )
}
