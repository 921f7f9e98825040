import { ActionFault, useAction } from '../../shared/forms/action.js'
import { ActionButton } from '../../shared/forms/action-button.js'
import { exportData } from '../calls/experiments.js'
import { download } from '../elements/download.js'
import { say } from '../words/words.js'

const files = [
  { format: 'csv', part: 'rows', word: 'lead.dataCsv' },
  { format: 'ndjson', part: 'rows', word: 'lead.dataNdjson' },
  { format: 'csv', part: 'codebook', word: 'lead.codebook' },
] as const

/** The values behind the results, and the codebook that explains them. */
export function ExportData({ id }: { id: string }) {
  const action = useAction()
  return (
    <section class="card stack tight">
      <h2>{say('lead.exportData')}</h2>
      <div class="row">
        {files.map(({ format, part, word }) => (
          <ActionButton
            key={word}
            action={action}
            done={say('lead.exported')}
            act={async () =>
              download(await exportData(id, format, part), `experiment-${id}-${part}.${format}`)
            }
          >
            {say(word)}
          </ActionButton>
        ))}
      </div>
      <ActionFault action={action} />
    </section>
  )
}
