import type pg from 'pg'
import type { Tenant } from '../setting.js'

/** As many rows as a page of a list has. */
export const rowsOfPage = 100

/** Experiments with twelve sessions in each arm, half of them assigned at random. */
export async function insertExperiments(client: pg.Client, tenant: Tenant): Promise<void> {
  await client.query(
    `insert into experiments (organization_id, _id, name, hypothesis, status, control_session_ids,
      intervention_session_ids, start_at, end_at, metadata, created_at, updated_at)
    select $1, gen_random_uuid(), 'Experiment ' || number,
      'Naming mistakes early shortens the time to repair them by a third.',
      case number % 3 when 0 then 'draft' when 1 then 'running' else 'completed' end,
      array(select 'session-' || number || '-' || n from generate_series(1, 12) as n),
      array(select 'session-' || number || '-' || n from generate_series(13, 24) as n),
      timestamptz '2026-10-01 08:00Z', timestamptz '2026-12-01 08:00Z',
      '{"measures": ["minutes to the first repair"], "cohort": "autumn"}',
      timestamptz '2026-09-01Z' + number * interval '1.234 second',
      timestamptz '2026-09-30Z' + number * interval '1.234 second'
    from generate_series(1, $2::int) as number`,
    [tenant.organization_id, rowsOfPage],
  )
}

/** Channels with two messages each, one of them answered. */
export async function insertTemplates(client: pg.Client, tenant: Tenant): Promise<void> {
  await client.query(
    `insert into channel_templates (organization_id, _id, scenario_name, channel_name,
      message_templates, created_at, updated_at)
    select $1::uuid, gen_random_uuid(), 'scenario-' || number % 10, 'channel-' || number,
      jsonb_build_array(
        jsonb_build_object('sender_character_id', $1::uuid::text, 'content',
          'Can we look at the shift plan before the review?', 'offset_hours', -4,
          'thread_replies', '[]'::jsonb, 'metadata', '{"beat": "plan"}'::jsonb),
        jsonb_build_object('sender_character_id', $1::uuid::text, 'content',
          'The figures of last week still do not add up.', 'offset_hours', 2,
          'thread_replies', jsonb_build_array(jsonb_build_object('sender_character_id', $1::uuid::text,
            'content', 'I have them here. Shall we meet at ten?', 'offset_minutes', 12,
            'metadata', '{}'::jsonb)),
          'metadata', '{}'::jsonb)),
      timestamptz '2026-09-01Z' + number * interval '1.234 second',
      timestamptz '2026-09-30Z' + number * interval '1.234 second'
    from generate_series(1, $2::int) as number`,
    [tenant.organization_id, rowsOfPage],
  )
}
