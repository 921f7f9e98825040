import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Schema } from '../../shared/forms/schema.js'
import { Minute } from '../../shared/room/minute.js'
import { ScrollArea } from '../../shared/scroll-area.js'
import { say } from '../../shared/words/words.js'
import { written } from '../../shared/written.js'
import { Composer } from './conversation/composer.js'
import { Refused } from './conversation/unsent.js'
import type { Panes } from './panes/panes.js'
import { PaneHead } from './panes/side-pane.js'

/** Private words with the trainers. Other participants cannot read them. */
export function AskTrainer({ panes }: { panes: Panes }) {
  const { privateWords } = panes.room
  const words = privateWords.all.value
  // The stream may bring words before the answer to the request that sent them.
  const arrived = new Set(words.map(({ client_message_id }) => client_message_id))
  const unsent = panes.questions.unsent.value.filter(
    ({ client_message_id }) => !arrived.has(client_message_id),
  )
  const draft = panes.room.storedAs('draft', 'trainer')
  const list = useRef<HTMLElement>(null)
  const newest = words.at(-1)?.seq ?? 0
  useLayoutEffect(() => panes.seePrivate(newest), [newest])
  useLayoutEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight
  }, [words.length, unsent.length])
  return (
    <>
      <PaneHead panes={panes} title={say('side.trainer')} detail={say('trainer.private')} isSide />
      <ScrollArea ref={list} class="messages" label={say('trainer.words')}>
        {words.length + unsent.length === 0 && <p class="muted empty">{say('trainer.empty')}</p>}
        <ol class="plain stack tight">
          {words.map((one) => (
            <Words key={one._id} words={one} />
          ))}
          {unsent.map((one) => (
            <li key={one.client_message_id} class="words unsent">
              <p class="text" {...written}>
                {one.content}
              </p>
              {one.fault === null ? (
                <p class="muted small">{say('room.sending')}</p>
              ) : (
                <Refused outbox={panes.questions} message={one} draft={draft} />
              )}
            </li>
          ))}
        </ol>
      </ScrollArea>
      <Composer
        panes={panes}
        draft={draft}
        label={say('trainer.write')}
        obstacle={null}
        onSend={(content) => panes.questions.add({ conversation_id: '', content })}
      />
    </>
  )
}

/** Words of one person, with their name and the time. */
export function Words({ words }: { words: Schema<'TrainerMessage'> }) {
  const { from_trainer, to_all, sender_name, content, elapsed_ms, created_at } = words
  const name = from_trainer ? (sender_name ?? say('trainer.trainer')) : say('message.you')
  return (
    <li class={from_trainer ? 'words from-trainer' : 'words'}>
      <p class="row between small">
        <strong>
          {name}
          {from_trainer && <span class="muted"> · {say('trainer.trainer')}</span>}
          {to_all && <span class="muted"> · {say('trainer.to_all')}</span>}
        </strong>
        {elapsed_ms === null || elapsed_ms < 0 ? (
          <span class="muted">{say('clock.before')}</span>
        ) : (
          <Minute elapsed_ms={elapsed_ms} instant={created_at} />
        )}
      </p>
      <p class="text" {...written}>
        {content}
      </p>
    </li>
  )
}
