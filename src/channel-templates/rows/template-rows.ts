import { batchesOf } from '../../database/batches.js'
import { jsonText } from '../../database/expressions.js'
import { messageBatchSize, type StoredTemplate, templateBatchSize } from '../queries.js'

type Messages = StoredTemplate['message_templates']

/** Turns templates into rows, in batches for one INSERT each. */
export function* rowBatchesOf<Row extends { message_templates: Messages }>(
  templates: Iterable<Row>,
) {
  for (const batch of batchesOf(withJson(templates))) {
    yield batch.map(({ message_templates, ...row }) => {
      return { ...row, message_templates: jsonText<Messages>(message_templates) }
    })
  }
}

/** Lazy, so that memory holds the JSON of one batch only. */
function* withJson<Row extends { message_templates: Messages }>(templates: Iterable<Row>) {
  for (const { message_templates, ...row } of templates) {
    yield { ...row, message_templates: JSON.stringify(message_templates) }
  }
}

/** Groups templates for one statement each, by the number of templates and of messages. */
export function* groupsOf<Row extends { message_templates: Messages }>(rows: Row[]) {
  let group: Row[] = []
  let messages = 0
  for (const row of rows) {
    const { length } = row.message_templates
    const isFull = group.length === templateBatchSize || messages + length > messageBatchSize
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
