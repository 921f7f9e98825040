import type { Transaction } from 'kysely'
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { type AuditEvent, recordAuditEvents } from '../../src/audit-events/record.js'
import type { Database } from '../../src/database/schema.js'
import { createId } from '../../src/identifiers.js'

export interface Insert {
  text: string
  values: unknown[]
}

const executed: CompiledQuery[] = []

/** Sends nothing anywhere: the service writes its statements with it, and they are taken. */
const db = new Kysely<Database>({
  dialect: {
    createDriver: () => new DummyDriver(),
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  },
  log: ({ query }) => {
    executed.push(query)
  },
})

const withQueue = /^with "recorded" as \((insert into "audit_events" .*)\) insert into .*$/s

/** The service's own insert of an event into its table, without that into the queue beside it. */
export async function insertOf(event: AuditEvent): Promise<Insert> {
  await db
    .transaction()
    .execute((trx: Transaction<Database>) =>
      recordAuditEvents(trx, { id: createId(), caller: null }, [event]),
    )
  const queries = executed.splice(0)
  const recorded = queries.find(({ sql }) => withQueue.test(sql))
  const text = withQueue.exec(recorded?.sql ?? '')?.[1]
  if (!recorded || !text) throw new Error('The service does not insert events as it did')
  const places = [...text.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place))
  return { text, values: recorded.parameters.slice(0, Math.max(...places)) }
}
