import { ActionFault, useAction } from '../../shared/forms/action.js'
import { ActionButton } from '../../shared/forms/action-button.js'
import type { Schema } from '../../shared/forms/schema.js'
import { exportSession } from '../calls/sessions.js'
import { download } from '../elements/download.js'
import { me } from '../me.js'
import { say } from '../words/words.js'

const formats = ['csv', 'ndjson', 'xapi'] as const

/** The session as a file, with pseudonyms for people. */
export function ExportSession({ session }: { session: Schema<'SimulationSession'> }) {
  const action = useAction()
  const save = (format: (typeof formats)[number]) => async () => {
    const extension = format === 'xapi' ? 'json' : format
    download(await exportSession(session._id, format), `session-${session._id}.${extension}`)
  }
  return (
    <section class="card stack tight">
      <h2>{say('lead.export')}</h2>
      <p class="muted small">
        {say('lead.exportWhy')}
        {me.value?.user.role === 'hr' && ` ${say('lead.exportForAdmins')}`}
      </p>
      <div class="row">
        {formats.map((format) => (
          <ActionButton key={format} action={action} act={save(format)} done={say('lead.exported')}>
            {say(`lead.format.${format}`)}
          </ActionButton>
        ))}
      </div>
      <ActionFault action={action} />
    </section>
  )
}
