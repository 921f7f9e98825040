import { ActionForm, useAction } from '../../shared/forms/action.js'
import { ConfirmButton } from '../../shared/forms/confirm.js'
import { Writing } from '../../shared/forms/form.js'
import { SessionTime } from '../../shared/room/session-time.js'
import { written } from '../../shared/written.js'
import { createNote, deleteNote } from '../calls/notes.js'
import { useDraft } from '../draft.js'
import { may, me } from '../me.js'
import { say } from '../words/words.js'
import type { DeskRoom } from './desk-room.js'

/** What the trainer has noticed, with the time of the session. Participants never see it. */
export function Notes({ room }: { room: DeskRoom }) {
  const draft = useDraft(`note ${room.session_id}`)
  const action = useAction()
  const notes = room.notes.value.value ?? []
  const keep = async () => {
    const { text, id } = draft
    await createNote(room.session_id, text)
    draft.sent(id)
    await room.notes.load()
  }
  return (
    <section class="stack tight">
      <h2>{say('lead.notes')}</h2>
      <ActionForm action={action} act={keep} done={say('lead.noteAdded')} kind="stack tight">
        <Writing
          label={say('lead.noteText')}
          isLabelHidden
          placeholder={say('lead.noteText')}
          rows={2}
          required
          maxLength={10_000}
          value={draft.text}
          onInput={draft.write}
        />
        <div>
          <button type="submit" class="small" aria-disabled={action.isBusy.value}>
            {say('lead.noteAdd')}
          </button>
        </div>
      </ActionForm>
      {notes.length === 0 && <p class="muted small">{say('lead.noNotes')}</p>}
      <ul class="waits">
        {[...notes].reverse().map((note) => (
          <NoteItem key={note._id} note={note} room={room} />
        ))}
      </ul>
    </section>
  )
}

type Note = NonNullable<DeskRoom['notes']['value']['value']>[number]

function NoteItem({ note, room }: { note: Note; room: DeskRoom }) {
  const { _id, author_id, author_name, content, elapsed_ms, created_at } = note
  const time = <SessionTime elapsed_ms={elapsed_ms} instant={created_at} />
  const isOwn = author_id === me.value?.user._id
  return (
    <li class="small">
      <p class="row between">
        <strong>{time}</strong>
        {isOwn && may('deleteSessionNote') ? (
          <ConfirmButton
            title={say('lead.noteDeleteTitle')}
            why={say('lead.noteDeleteWhy')}
            kind="quiet small"
            done={say('lead.noteDeleted')}
            act={async () => {
              await deleteNote(room.session_id, _id)
              await room.notes.load()
            }}
          >
            {say('lead.noteDelete')}
            <span class="unseen"> ({time})</span>
          </ConfirmButton>
        ) : (
          <span class="muted" {...written}>
            {author_name}
          </span>
        )}
      </p>
      <p class="text" {...written}>
        {content}
      </p>
    </li>
  )
}
