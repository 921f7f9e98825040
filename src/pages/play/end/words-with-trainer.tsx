import { useLayoutEffect } from 'preact/hooks'
import { ActionForm, useAction } from '../../shared/forms/action.js'
import { say } from '../../shared/words/words.js'
import { Words } from '../room/ask-trainer.js'
import type { Panes } from '../room/panes/panes.js'

/** The private words with the trainers, to read. No event tells of new ones after the end. */
export function WordsWithTrainer({ panes }: { panes: Panes }) {
  const { privateWords } = panes.room
  const words = privateWords.all.value
  const newest = words.at(-1)?.seq ?? 0
  useLayoutEffect(() => panes.seePrivate(newest), [newest])
  const action = useAction()
  return (
    <section class="card stack tight">
      <h2>{say('trainer.words')}</h2>
      <p class="muted small">{say('trainer.private')}</p>
      {words.length === 0 && <p>{say('end.no_words')}</p>}
      <ol class="plain stack tight">
        {words.map((one) => (
          <Words key={one._id} words={one} />
        ))}
      </ol>
      <ActionForm action={action} act={() => privateWords.read()}>
        <button type="submit" aria-disabled={action.isBusy.value}>
          {say('play.look_again')}
        </button>
      </ActionForm>
    </section>
  )
}
