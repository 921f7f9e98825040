import { useSignal } from '@preact/signals'
import type { Schema } from '../../shared/forms/schema.js'
import type { Room } from '../../shared/room/room.js'
import { readStored, store } from '../../shared/stored.js'
import { Consent } from './consent.js'
import { Name } from './name.js'

interface WelcomeProps {
  room: Room
  briefing: Schema<'SessionBriefing'>
}

/** Asks for the name and the consent, and then joins the session. */
export function Welcome({ room, briefing }: WelcomeProps) {
  const storedAs = room.storedAs('name')
  const name = useSignal(readStored<string>(storedAs) ?? '')
  const nameFault = useSignal<string | undefined>(undefined)
  // Those who come back after leaving have a name already.
  const hasTakenPart = readStored(room.storedAs('briefed')) !== null
  const hasName = useSignal(!briefing.is_guest || hasTakenPart)
  if (!hasName.value) {
    const onNamed = (text: string) => {
      store(storedAs, text)
      name.value = text
      nameFault.value = undefined
      hasName.value = true
    }
    return (
      <Name name={name.value} fault={nameFault.value} above={briefing.name} onNamed={onNamed} />
    )
  }
  const onBadName = (fault: string) => {
    nameFault.value = fault
    hasName.value = false
  }
  return (
    <Consent
      room={room}
      briefing={briefing}
      display_name={name.value || null}
      onBadName={onBadName}
    />
  )
}
