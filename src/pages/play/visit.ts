import { ApiError, isRefusal } from '../../client/client.js'
import type { Schema } from '../shared/forms/schema.js'
import { isLoggedIn, logIn, loginEnd, service } from '../shared/service.js'
import { chooseSession, isCode } from './account.js'
import { forgetMeIn, isKnownHere, keepAsKnown } from './known.js'
import { leaveRoom, nameOf, openRoom } from './place.js'
import { exchangeLink } from './seat.js'
import { me, type Place, room, storedLink, storedPlace, storeLink, view } from './state.js'
import { tabs } from './tabs.js'

/**
 * Looks where to begin: at a link, at the place that is open already, at the caller's sessions, or at the login.
 * Previews and mail scanners open links too, so a link takes no place before its reader presses a button.
 */
export async function begin(): Promise<void> {
  const seat_token = location.hash.slice(1)
  if (seat_token !== '') {
    // The secret must not stay where others can read or copy it. A reload needs it until the place is taken.
    storeLink(seat_token)
    history.replaceState(null, '', location.pathname)
  }
  const link = seat_token || storedLink()
  const place = storedPlace()
  const isOwn = link !== null && place?.seat_token === link && isLoggedIn.value
  if (isOwn) storeLink(null)
  if (link && !isOwn) await showLink(link)
  else if (place) await enter(place)
  else if (isLoggedIn.value) await chooseSession()
  else view.value = { name: 'login' }
}

export const enterSession = (session_id: string) =>
  enter({ session_id, user_id: me.value, seat_token: null })

async function showLink(seat_token: string): Promise<void> {
  leaveRoom()
  if (!(await askOtherTab(seat_token))) {
    view.value = { name: 'link', open: () => takeSeat(seat_token) }
  }
}

async function enterByLink(seat_token: string, take_over: boolean): Promise<void> {
  leaveRoom()
  if (!(await askOtherTab(seat_token))) await takeSeat(seat_token, take_over)
}

/** Offers to use a place in this tab. Returns whether another tab has it. */
async function askOtherTab(seat_token: string): Promise<boolean> {
  view.value = { name: 'opening' }
  const isHeld = await tabs.isHeld(seat_token)
  if (isHeld) view.value = { name: 'otherTab', takeOver: () => takeSeatFromTab(seat_token) }
  return isHeld
}

async function takeSeatFromTab(seat_token: string): Promise<void> {
  view.value = { name: 'opening' }
  await tabs.take(seat_token)
  await takeSeat(seat_token, true)
}

/** Exchanges the secret of a link for the place. If another device has it, the page asks first. */
async function takeSeat(seat_token: string, take_over = false): Promise<void> {
  view.value = { name: 'opening' }
  try {
    const tokens = await exchangeLink(seat_token, take_over)
    const { session_id, user_id } = tokens
    logIn(tokens)
    openRoom({ session_id, user_id, seat_token })
    storeLink(null)
  } catch (error) {
    const seat = isCode(error, 'seat_taken') && error.body.seat
    if (seat) return askWhose(seat_token, seat)
    // The place that was open before stays: a reload comes back to it.
    if (isRefusal(error)) storeLink(null)
    const place = storedPlace()
    // After the end no place can be taken, but its login works for a while.
    const isOwn = place?.seat_token === seat_token && isLoggedIn.value
    if (place && isOwn && isCode(error, 'session_ended')) return openRoom(place)
    view.value = { name: 'fault', error, retry: () => void takeSeat(seat_token, take_over) }
  }
}

/** Asks on a device that does not know the participant whether its reader is that person. */
async function askWhose(seat_token: string, seat: Schema<'TakenSeat'>): Promise<void> {
  if (isKnownHere(seat)) return takeSeat(seat_token, true)
  const takeOver = () => {
    keepAsKnown(seat)
    return takeSeat(seat_token, true)
  }
  view.value = { name: 'whose', display_name: seat.display_name, takeOver }
}

/** Comes back to a place that another device has taken, or whose login has ended; null by an account. */
export function placeAgain(): (() => void) | null {
  const place = storedPlace()
  const seat_token = place?.seat_token
  return seat_token ? () => void enterByLink(seat_token, isKnownHere(place)) : null
}

/** Takes a place back from the tab that has taken it. Who asks for it has said what they want. */
export async function comeBack(): Promise<void> {
  const place = storedPlace()
  if (!place) await begin()
  else if (place.seat_token) await takeSeatFromTab(place.seat_token)
  else await takeFromTab(place)
}

async function enter(place: Place): Promise<void> {
  leaveRoom()
  view.value = { name: 'opening' }
  if (!(await tabs.isHeld(nameOf(place)))) return openWithLogin(place)
  view.value = { name: 'otherTab', takeOver: () => takeFromTab(place) }
}

async function takeFromTab(place: Place): Promise<void> {
  view.value = { name: 'opening' }
  const tokens = await tabs.take(nameOf(place))
  if (tokens) logIn(tokens)
  openWithLogin(place)
}

/** Opens a place, or tells a guest that their login has ended. */
function openWithLogin(place: Place): void {
  const retry = placeAgain()
  if (isLoggedIn.value) openRoom(place)
  else if (retry) view.value = { name: 'fault', error: loggedOut(), retry }
  else view.value = { name: 'login' }
}

const loggedOut = () => new ApiError(new Response(null, { status: 401 }), {})

/** Goes back from a link to where this tab was. Nothing was taken with it. */
export function dropLink(): void {
  storeLink(null)
  void begin()
}

/** Withdraws from a session. What was written stays. */
export async function leaveSession(session_id: string): Promise<void> {
  const path = '/api/v1/simulation/sessions/{session_id}/participation'
  await service.api.DELETE(path, { params: { path: { session_id } } })
  forgetMeIn(session_id)
  leaveRoom()
  view.value = { name: 'left' }
}

/** Whether this tab still has a place, so that the login can offer the way back. */
export const hasPlace = () => (storedLink() ?? storedPlace()) !== null
/** Whether a link was refused while a place is open, to which the way back leads. */
export const isPlaceOpen = () =>
  isLoggedIn.value && room.value === null && storedLink() === null && storedPlace() !== null

/** How long the page does not come back to a place by itself again: what has just failed may fail for long. */
const restMs = 30_000
let lastReturn = Number.NEGATIVE_INFINITY

function mayReturn(): boolean {
  const now = performance.now()
  if (now - lastReturn < restMs) return false
  lastReturn = now
  return true
}

// The service has ended the login, for example because it expired. A link says why, or logs in again.
loginEnd.subscribe((error) => {
  if (!error) return
  leaveRoom()
  const retry = placeAgain()
  if (retry && error.code !== 'seat_taken_over' && mayReturn()) retry()
  else view.value = { name: 'fault', error, retry }
})
