/** How many bytes a row of a session counts as, besides its texts: for its other columns and its indexes. */
export const bytesOfRow = 300

/** The columns of messages and lines whose length people choose. */
const textColumns = [
  'content',
  'kind',
  'beat',
  'client_message_id',
  'fallback_option',
  'acknowledges',
  'lapses',
] as const
const jsonColumns = ['expectation', 'artefact', 'conditions', 'decides'] as const

type Row = Partial<
  Record<(typeof textColumns)[number], string | null> &
    Record<(typeof jsonColumns)[number], unknown>
>

/** How many bytes a value has as JSON. */
export const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/** How many bytes the messages or the lines of a plan count. */
export function bytesOf(rows: readonly Row[]): number {
  let bytes = 0
  for (const row of rows) {
    bytes += bytesOfRow
    for (const column of textColumns) bytes += Buffer.byteLength(row[column] ?? '')
    for (const column of jsonColumns) if (row[column]) bytes += jsonBytes(row[column])
  }
  return bytes
}
