import type pg from 'pg'
import { generateAuditEvents } from './audit-events.js'
import { generateAuditSeals } from './audit-seals.js'
import { organizationCount, tenants, usualUsers } from './tenants.js'

/** Fills a migrated, empty database. The same parameters make the same rows. */
export async function generateData(client: pg.Client, events: number): Promise<void> {
  console.error('Generating data (once per database) …')
  await client.query(createIdFunction)
  await client.query(insertOrganizations)
  await client.query(insertUsers)
  await client.query(insertSessions)
  await client.query(insertTemplates)
  await generateAuditEvents(client, events)
  await generateAuditSeals(client)
  // With vacuum, so that autovacuum does not disturb a measurement.
  await client.query('vacuum (analyze)')
}

const createIdFunction = `
  create schema bench;

  -- A UUID of version 7: the time in milliseconds, then digits that the salt decides.
  create function bench.id(milliseconds bigint, salt text) returns uuid
  language sql immutable parallel safe as $$
    select (lpad(to_hex(milliseconds), 12, '0') || '7' || substr(md5(salt), 1, 3)
      || '8' || substr(md5(salt), 4, 15))::uuid
  $$;

  create function bench.organization_id(number int) returns uuid
  language sql immutable parallel safe as $$
    select bench.id(1767225600000 + number * 1000, 'organization ' || number)
  $$;

  create function bench.user_id(organization int, number int) returns uuid
  language sql immutable parallel safe as $$
    select bench.id(1767225600000 + organization * 1000 + number, 'user ' || organization || ' ' || number)
  $$`

const insertOrganizations = `
  insert into organizations (_id, name, created_at, updated_at)
  select bench.organization_id(number), 'Organization ' || number,
    timestamptz '2026-01-01Z', timestamptz '2026-01-01Z'
  from generate_series(1, ${organizationCount}) as number`

const sizes = Object.values(tenants).flatMap((tenant) =>
  'users' in tenant ? `when ${tenant.number} then ${tenant.users}` : [],
)

/** About a kilobyte a user as JSON. */
const insertUsers = `
  insert into users (organization_id, _id, username, email, full_name, role, is_bot, avatar_url,
    bio, education, certifications, hobbies, career_goals, metadata, last_seen, created_at,
    updated_at)
  select bench.organization_id(organization), bench.user_id(organization, number),
    'person' || number, 'person' || number || '@organization' || organization || '.example',
    'Person ' || number || ' Lindqvist',
    case when number = 1 then 'admin' when number % 10 = 0 then 'bot'
      when number % 10 = 5 then 'hr' when number % 10 = 7 then 'executive' else 'employee' end,
    number > 1 and number % 10 = 0,
    'https://cdn.example/avatars/' || bench.user_id(organization, number) || '.png',
    'Came from operations, stayed for the people. Likes short meetings and long walks.',
    jsonb_build_array(jsonb_build_object('degree', 'MSc', 'field_of_study', 'Psychology',
      'university', 'Stockholm University', 'graduation_year', (1990 + number % 30)::text)),
    jsonb_build_array(jsonb_build_object('name', 'SHRM-CP', 'issuer', 'SHRM', 'year', '2019')),
    '["sailing", "chess", "gardening"]',
    jsonb_build_object('dream_job', 'Chief people officer', 'experience_level', 'senior',
      'current_role', 'Specialist ' || number % 7, 'department', 'Logistics'),
    jsonb_build_object('location', 'Stockholm', 'workdays',
      '["monday", "tuesday", "wednesday", "thursday", "friday"]'::jsonb),
    -- The service renews an old time, which would change the data.
    case when number = 1 then timestamptz '2100-01-01Z'
      when number % 4 > 0 then timestamptz '2026-10-01 08:00Z' + number * interval '1 minute' end,
    timestamptz '2026-01-02Z' + number * interval '1.234 second',
    timestamptz '2026-09-30Z' + number * interval '1.234 second'
  from generate_series(1, ${organizationCount}) as organization,
    generate_series(1, case organization ${sizes.join(' ')} else ${usualUsers} end) as number
  order by organization, number`

const insertSessions = `
  insert into login_sessions (organization_id, _id, user_id, expires_at)
  select organization_id, _id, _id, timestamptz '2100-01-01Z' from users where role = 'admin'`

/** Six channels of nine messages, about 28 kB as JSON, for a hundred organizations. */
const insertTemplates = `
  insert into channel_templates (organization_id, _id, scenario_name, channel_name,
    message_templates, created_at, updated_at)
  select bench.organization_id(organization),
    bench.id(1767225600000 + organization * 1000 + channel, 'template ' || organization),
    'hr_workforce', 'channel-' || channel,
    (select jsonb_agg(jsonb_build_object(
        'sender_character_id', bench.user_id(organization, 1 + message % ${usualUsers}),
        'content', 'Message ' || message || ': can we look at the shift plan before the review '
          || 'on thursday? The night shift is short of two people and the figures still do not add up.',
        'offset_hours', message - 4,
        'thread_replies', jsonb_build_array(jsonb_build_object(
          'sender_character_id', bench.user_id(organization, 1 + (message + 1) % ${usualUsers}),
          'content', 'I have the numbers of last week. Shall we meet at ten?',
          'offset_minutes', message * 5, 'metadata', '{}'::jsonb)),
        'metadata', jsonb_build_object('tone', 'calm')))
      from generate_series(1, 9) as message),
    timestamptz '2026-01-03 09:00:00.123Z', timestamptz '2026-01-03 09:00:00.123Z'
  from generate_series(${tenants.templates.number}, ${tenants.templates.number + 99}) as organization,
    generate_series(1, 6) as channel`
