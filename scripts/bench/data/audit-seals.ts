import type pg from 'pg'

/** Seals all events of every organization. */
export async function generateAuditSeals(client: pg.Client): Promise<void> {
  console.error('  audit seals')
  await client.query(createChain)
  await client.query(sealAll)
}

/** The same chain as in `src/audit-events`, in SQL. */
const createChain = `
  create function bench.link(previous bytea, sequence bigint, document text) returns bytea
  language plpgsql immutable as $$
    begin
      return sha256(previous || int8send(sequence) || convert_to(document, 'UTF8'));
    end
  $$;

  create aggregate bench.chain(sequence bigint, document text) (
    sfunc = bench.link, stype = bytea, initcond = '\\x${'00'.repeat(32)}'
  )`

const sealAll = `
  insert into audit_seals (organization_id, sequence, event_id, hash)
  select organization_id, sequence, _id, bench.chain(sequence, document) over (
    partition by organization_id order by _id rows unbounded preceding)
  from (
    select organization_id, _id, document,
      row_number() over (partition by organization_id order by _id) as sequence
    from audit_events
  ) as event`
