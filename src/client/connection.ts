import { onOnline, onShown } from './backoff.js'

/** The fields of a server-sent event (WHATWG HTML, 9.2). A comment has none. */
export type Block = Map<string, string>

/** Opens a stream after the event with an `id`. A stream without data is over. */
export type Open = (
  after: string | undefined,
  signal: AbortSignal,
) => Promise<{ data: ReadableStream<Uint8Array> | null | undefined }>

/**
 * The service sends a byte every 15 s. A device that slept may have missed that its connection broke. This uses
 * `Date.now`, because `performance.now` may not count the time asleep.
 */
const longestSleep = 16_000

interface ConnectionOptions {
  open: Open
  after: string | undefined
  /** After how many milliseconds without a byte the connection is dead. */
  silence: number
  signal?: AbortSignal | undefined
  onOpen: () => void
  /** Is called when a try is given up for a new one. */
  onHurry: () => void
}

/**
 * Yields the blocks of one connection until it closes, and throws if it breaks or is silent. Time
 * that the reader of the blocks takes is not silence.
 */
export async function* readConnection(options: ConnectionOptions): AsyncGenerator<Block> {
  const line = new AbortController()
  const cut = () => line.abort()
  options.signal?.addEventListener('abort', cut, { signal: line.signal })
  // A browser that goes offline may keep a dead connection for a while. Node.js has no such event.
  globalThis.addEventListener?.('offline', cut, { signal: line.signal })
  let isOpen = false
  const startAnew = () => {
    if (isOpen) return
    options.onHurry()
    cut()
  }
  // A request that was sent without a network may hang.
  onOnline(startAnew, line.signal)
  let lastHeard = Date.now()
  onShown(() => Math.abs(Date.now() - lastHeard) > longestSleep && cut(), line.signal)
  const heard = async <T>(work: Promise<T>): Promise<T> => {
    const timer = setTimeout(cut, options.silence)
    return work.finally(() => {
      clearTimeout(timer)
      lastHeard = Date.now()
    })
  }
  try {
    const { data } = await heard(options.open(options.after, line.signal))
    const onHeard = () => {
      if (!isOpen) options.onOpen()
      isOpen = true
    }
    if (!data) {
      onHeard()
      yield overBlock()
    }
    const reader = data?.getReader()
    const readBlocks = createBlockReader()
    while (reader) {
      const { done, value } = await heard(reader.read())
      if (done) return
      // A proxy may answer at once, and hold all else back.
      onHeard()
      yield* readBlocks(value)
    }
  } finally {
    cut()
  }
}

const overBlock = (): Block =>
  new Map([
    ['event', 'end'],
    ['data', '{"reason":"session_ended"}'],
  ])

/** Cuts bytes into blocks, which end with an empty line. The rest waits for the next bytes. */
export function createBlockReader(): (bytes: Uint8Array) => Block[] {
  const decoder = new TextDecoder()
  let rest = ''
  return (bytes) => {
    const texts = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
    rest = texts.pop() ?? ''
    return texts.map(parseBlock)
  }
}

/** The service writes each field in one line. U+2028 is part of a line, so no regular expression. */
function parseBlock(text: string): Block {
  return new Map(
    text.split('\n').map((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, Math.max(colon, 0)), line.slice(colon + 2)]
    }),
  )
}
