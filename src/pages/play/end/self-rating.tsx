import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ActionForm, useAction } from '../../shared/forms/action.js'
import { Writing } from '../../shared/forms/form.js'
import { Scale, type Value } from '../../shared/forms/scale.js'
import type { Schema } from '../../shared/forms/schema.js'
import type { Room } from '../../shared/room/room.js'
import { service } from '../../shared/service.js'
import { readStored, store } from '../../shared/stored.js'
import { say } from '../../shared/words/words.js'

const path = '/api/v1/simulation/sessions/{session_id}/own-rating'

interface SelfRatingProps {
  room: Room
  /** Learns that the participant has sent a rating before. */
  onSent(): void
  /** Learns whether the participant has rated anything. */
  onDone(isRated: boolean): void
}

/** How the participant rates themself. What is chosen is kept until it is sent. */
export function SelfRating({ room, onSent, onDone }: SelfRatingProps) {
  const { session_id } = room
  const rating = useSignal<Schema<'OwnRating'> | null>(null)
  const reading = useAction()
  const read = async () => {
    const { data } = await service.api.GET(path, { params: { path: { session_id } } })
    if (data.values.length > 0 || data.comment !== null) onSent()
    rating.value = data
  }
  useEffect(() => void reading.run(read), [session_id])
  if (rating.value) return <RatingForm room={room} rating={rating} onDone={onDone} />
  if (reading.error.value === null) return <p class="late">{say('page.loading')}</p>
  return <ActionForm action={reading} act={read} label={say('action.retry')} />
}

interface Kept {
  values: Record<string, Value>
  comment: string
}

interface RatingFormProps extends Omit<SelfRatingProps, 'onSent'> {
  rating: Signal<Schema<'OwnRating'> | null>
}

function RatingForm({ room, rating, onDone }: RatingFormProps) {
  const { session_id } = room
  const { criteria = [], values = [], comment = null } = rating.value ?? {}
  const storedAs = room.storedAs('own-rating')
  const kept = useSignal<Kept>(
    readStored<Kept>(storedAs) ?? {
      values: Object.fromEntries(values.map(({ criterion, value }) => [criterion, value])),
      comment: comment ?? '',
    },
  )
  const isNothing = useSignal(false)
  const change = (next: Partial<Kept>) => {
    kept.value = { ...kept.value, ...next }
    store(storedAs, kept.value)
    isNothing.value = false
  }
  const action = useAction()
  const send = async () => {
    const chosen = Object.entries(kept.value.values).filter(([, value]) => value !== '')
    const body = {
      values: chosen.map(([criterion, value]) => ({ criterion, value })),
      comment: kept.value.comment.trim() || null,
    }
    const isRated = chosen.length > 0 || body.comment !== null
    // Who has sent a rating may take it back.
    isNothing.value = !isRated && values.length === 0 && comment === null
    if (isNothing.value) return
    await service.api.PUT(path, { params: { path: { session_id } }, body })
    store(storedAs, null)
    onDone(isRated)
  }
  return (
    <ActionForm action={action} act={send} label={say('rating.send')}>
      {criteria.map((one) => (
        <div key={one.criterion} class="card">
          <Scale
            {...one}
            value={kept.value.values[one.criterion]}
            onValue={(value) =>
              change({ values: { ...kept.value.values, [one.criterion]: value } })
            }
          />
        </div>
      ))}
      <Writing
        label={say('rating.comment')}
        rows={3}
        maxLength={2000}
        value={kept.value.comment}
        onInput={(comment) => change({ comment })}
      />
      {isNothing.value && (
        <p class="fault" role="alert">
          {say('rating.nothing')}
        </p>
      )}
    </ActionForm>
  )
}
