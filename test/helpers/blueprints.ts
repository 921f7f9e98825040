import type { Schema } from '../../src/contract.js'
import type { Member, startService } from './service.js'
import { untilFree } from './until.js'

type Service = Pick<Awaited<ReturnType<typeof startService>>, 'call'>
type Caller = Pick<Member, 'token'>

/**
 * Applies, previews and rolls back quick setups, and reads the results. Repeats a request that is
 * refused because another one is running.
 */
export function quickSetupsOf({ call }: Service) {
  /** Returns the whole answer, for requests that may be refused. */
  const request = ({ token }: Caller, body: object = {}) =>
    untilFree(() => call('applyQuickSetup', { token, body }))

  const apply = async (caller: Caller, body?: object): Promise<Schema<'QuickSetupResult'>> =>
    (await request(caller, body)).body

  const preview = async ({ token }: Caller, body: object): Promise<Schema<'QuickSetupPreview'>> =>
    (await call('previewQuickSetup', { token, body })).body

  const rollback = ({ token }: Caller, setup_id: string) =>
    untilFree(() => call('rollbackQuickSetup', { token, params: { setup_id } }))

  const usersOf = async ({ token }: Caller): Promise<Schema<'User'>[]> =>
    (await call('listUsers', { token })).body

  const charactersOf = async (caller: Caller) =>
    (await usersOf(caller)).filter(({ is_bot }) => is_bot)

  const templatesOf = async ({ token }: Caller): Promise<Schema<'ChannelTemplate'>[]> =>
    (await call('listChannelTemplates', { token, query: { limit: '500' } })).body

  return { request, apply, preview, rollback, usersOf, charactersOf, templatesOf }
}
