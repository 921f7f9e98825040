import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compactVerify, createLocalJWKSet } from 'jose'
import type { Test } from 'tap'
import { createAuditKeys } from '../../src/audit-events/chain/checkpoint.js'
import { insertEvents } from '../helpers/events.js'
import { t } from '../helpers/file.js'
import { auditEvents, type Member, startService } from '../helpers/service.js'

const { call, db, registerAdmin } = await startService(t)

const create = ({ token, organization_id }: Member) =>
  call('createAuditCheckpoint', { token, params: { organization_id } })
const exportOf = async ({ token, organization_id }: Member): Promise<string> =>
  (await call('exportAuditEvents', { token, params: { organization_id } })).body

t.test('createAuditCheckpoint', async (t) => {
  t.test('signs the current end of the trail, and anyone can verify the signature', async (t) => {
    const admin = await registerAdmin()
    const { status, body } = await create(admin)
    t.equal(status, 201)
    const { checkpoint, ...position } = body
    t.match(position, {
      organization_id: admin.organization_id,
      sequence: 2,
      hash: /^[0-9a-f]{64}$/,
    })
    const { body: jwks } = await call('getAuditKeys')
    const { payload, protectedHeader } = await compactVerify(checkpoint, createLocalJWKSet(jwks))
    t.match(protectedHeader, { alg: 'EdDSA', kid: jwks.keys[0].kid })
    t.strictSame(JSON.parse(Buffer.from(payload).toString()), position)
  })

  t.test('covers everything that was recorded before, and records itself', async (t) => {
    const admin = await registerAdmin()
    const { organization_id } = admin
    await insertEvents(
      db,
      Array.from({ length: 1_200 }, () => ({ organization_id })),
    )
    const { sequence, hash } = (await create(admin)).body
    t.equal(sequence, 1_202)
    const [event] = await auditEvents(call, admin)
    t.match(event, { category: 'audit', event_type: 'audit_checkpoint_created' })
    t.strictSame(event?.metadata, { sequence, hash })
    t.equal((await create(admin)).body.sequence, 1_203)
  })
})

t.test('getAuditKeys', async (t) => {
  t.test('publishes no private key', async (t) => {
    const { body } = await call('getAuditKeys')
    t.strictSame(
      body.keys.map((key: object) => Object.keys(key).sort()),
      [['alg', 'crv', 'kid', 'kty', 'use', 'x']],
    )
  })

  t.test('returns the same keys for the same secrets, and the first secret signs', async (t) => {
    const [old, young] = ['a secret of 32 bytes, or some more', 'another one of 32 bytes, or more']
    const rotated = await createAuditKeys([young, old])
    const [first, second] = rotated.jwks.keys
    t.strictSame((await createAuditKeys([old])).jwks.keys, [second])
    t.not(first?.x, second?.x)
    const checkpoint = { organization_id: 'o', sequence: 1, hash: 'h', created_at: 'now' }
    const signed = await rotated.sign(checkpoint)
    const { protectedHeader } = await compactVerify(signed, createLocalJWKSet(rotated.jwks))
    t.equal(protectedHeader.kid, first?.kid)
  })

  t.test('returns keys from a separate secret when one is set', async (t) => {
    const secret = 'a secret for checkpoints of 32 bytes'
    const other = await startService(t, { AUDIT_SECRET: secret })
    const { body } = await other.call('getAuditKeys')
    t.strictSame(body, (await createAuditKeys([secret])).jwks)
    t.strictNotSame(body, (await call('getAuditKeys')).body)
  })
})

t.test('A file and a checkpoint', async (t) => {
  const admin = await registerAdmin()
  const early = await exportOf(admin)
  const { checkpoint } = (await create(admin)).body
  const late = await exportOf(admin)
  const foreign = (await create(await registerAdmin())).body.checkpoint
  const { body: jwks } = await call('getAuditKeys')
  const { jwks: otherKeys } = await createAuditKeys(['a secret that nobody here knows, ever'])

  function verify(t: Test, text: string, signed: string, keys: object = jwks) {
    const directory = t.testdir({ 'export.ndjson': text, signed: `${signed}\n` })
    const at = (name: string) => join(directory, name)
    writeFileSync(at('keys.json'), JSON.stringify(keys))
    const files = ['--file', at('export.ndjson'), '--checkpoint', at('signed')]
    const args = ['dist/scripts/audit-verify.js', ...files, '--keys', at('keys.json')]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    return { status, output: stdout + stderr }
  }

  t.test('match when the file reaches the checkpoint', async (t) => {
    t.match(verify(t, late, checkpoint), { status: 0, output: /valid, 5 events up to 5/ })
  })

  t.test('do not match when the file is shorter or of another organization', async (t) => {
    t.match(verify(t, early, checkpoint), { status: 0 }, 'the file reaches exactly that far')
    const lines = early.split('\n')
    const shorter = JSON.stringify({ end: true, count: 0, sequence: 0, hash: '0'.repeat(64) })
    t.match(verify(t, `${shorter}\n`, checkpoint), { status: 1, output: /do not reach/ })
    t.match(verify(t, lines.slice(0, 2).join('\n'), checkpoint), { status: 1, output: /cut off/ })
    t.match(verify(t, late, foreign), { status: 1, output: /another organization/ })
  })

  t.test('do not match when no known key signed the checkpoint', async (t) => {
    t.match(verify(t, late, checkpoint, otherKeys), { status: 1, output: /signed by none/ })
    t.match(verify(t, late, 'x'), { status: 1, output: /signed by none/ })
  })
})
