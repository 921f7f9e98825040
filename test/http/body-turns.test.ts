import { once } from 'node:events'
import { request as ask, type ClientRequest } from 'node:http'
import { t } from '../helpers/file.js'
import { startService } from '../helpers/service.js'
import { openWorkplace } from '../helpers/workplace.js'

const service = await startService(t)
const { call, url } = service
const { admin, session } = await openWorkplace(service)
const { token, organization_id } = admin
const long = JSON.stringify({ company_name: 'Acme' }).padEnd(20_000)
const update = () => call('updateBranding', { token, params: { organization_id }, rawBody: long })

/** Opens a stream with a GET that announces a body. Returns the request. */
async function openStream(session_id: string): Promise<ClientRequest> {
  const headers = { authorization: `Bearer ${token}`, 'transfer-encoding': 'chunked' }
  const path = `${url}/api/v1/simulation/sessions/${session_id}/events`
  const request = ask(path, { headers }).end()
  const [answer] = await once(request, 'response')
  t.equal(answer.statusCode, 200)
  return request
}

t.test('A stream takes no turn for a body, whatever its headers are', async (t) => {
  const session_id = await session({ mode: 'external' }, 'startSession')
  const streams = []
  for (let i = 0; i < 4; i++) streams.push(await openStream(session_id))
  t.equal((await update()).status, 200, 'the four streams take none of the four turns')
  for (const stream of streams) stream.destroy()
})

t.test('Four bodies of unknown length of an organization are read at the same time', async (t) => {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'transfer-encoding': 'chunked',
  }
  const path = `${url}/api/v1/organizations/${organization_id}/branding`
  const slow = Array.from({ length: 3 }, () => {
    const request = ask(path, { method: 'PUT', headers })
    request.on('error', () => {})
    request.write('{')
    return request
  })
  const quick = ask(path, { method: 'PUT', headers }).end(JSON.stringify({ company_name: 'Acme' }))
  const [answer] = await once(quick, 'response')
  t.equal(answer.statusCode, 200)
  for (const request of slow) request.destroy()
})
