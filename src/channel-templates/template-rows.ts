import { batchesOf } from '../database/batches.js'
import { jsonText } from '../database/expressions.js'
import { messagesAtOnce, type StoredTemplate, templatesAtOnce } from './queries.js'

type Messages = StoredTemplate['message_templates']

/** Templates as rows to be inserted, in batches for one statement each. */
export function* rowBatchesOf<Row extends { message_templates: Messages }>(
  templates: Iterable<Row>,
) {
  for (const batch of batchesOf(withJson(templates))) {
    yield batch.map(({ message_templates, ...row }) => {
      return { ...row, message_templates: jsonText<Messages>(message_templates) }
    })
  }
}

/** One after the other, so that memory holds the JSON of one batch. */
function* withJson<Row extends { message_templates: Messages }>(templates: Iterable<Row>) {
  for (const { message_templates, ...row } of templates) {
    yield { ...row, message_templates: JSON.stringify(message_templates) }
  }
}

/** Templates in groups for one statement each: a few templates, and not too many messages. */
export function* groupsOf<Row extends { message_templates: Messages }>(rows: Row[]) {
  let group: Row[] = []
  let messages = 0
  for (const row of rows) {
    const { length } = row.message_templates
    const isFull = group.length === templatesAtOnce || messages + length > messagesAtOnce
    if (isFull && group.length > 0) {
      yield group
      group = []
      messages = 0
    }
    group.push(row)
    messages += length
  }
  if (group.length > 0) yield group
}
