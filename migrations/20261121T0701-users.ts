import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createUsers(db)
  await createCredentials(db)

  // The only table that spans tenants. It has no foreign key, so that users can be distributed by
  // organization_id and this table by e-mail.
  await db.schema
    .createTable('email_registry')
    .addColumn('email', 'text', (col) => col.notNull())
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('user_id', 'uuid', (col) => col.notNull())
    .addPrimaryKeyConstraint('email_registry_email_unique', ['email'])
    .addCheckConstraint('email_registry_email_lower_case', sql`email = lower(email)`)
    .execute()
}

async function createUsers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('organization_id', 'uuid', (col) =>
      col.notNull().references('organizations._id').onDelete('cascade'),
    )
    .addColumn('_id', 'uuid', (col) => col.notNull())
    .addColumn('username', 'text', (col) => col.notNull())
    .addColumn('email', 'text', (col) => col.notNull())
    .addColumn('full_name', 'text')
    .addColumn('role', 'text', (col) => col.notNull().defaultTo('employee'))
    .addColumn('is_bot', 'boolean', (col) => col.notNull().defaultTo(false))
    .addColumn('is_active', 'boolean', (col) => col.notNull().defaultTo(true))
    .addColumn('avatar_url', 'text')
    .addColumn('bio', 'text')
    .addColumn('education', 'jsonb', (col) => col.notNull().defaultTo(sql`'[]'`))
    .addColumn('certifications', 'jsonb', (col) => col.notNull().defaultTo(sql`'[]'`))
    .addColumn('hobbies', 'jsonb', (col) => col.notNull().defaultTo(sql`'[]'`))
    .addColumn('career_goals', 'jsonb', (col) => col.notNull().defaultTo(sql`'{}'`))
    .addColumn('metadata', 'jsonb', (col) => col.notNull().defaultTo(sql`'{}'`))
    .addColumn('last_seen', 'timestamptz(3)')
    .addColumn('created_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addColumn('updated_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('users_primary_key', ['organization_id', '_id'])
    .addUniqueConstraint('users_username_unique', ['organization_id', 'username'])
    .addCheckConstraint('users_username_length', sql`length(username) between 3 and 50`)
    .addCheckConstraint(
      'users_role_known',
      sql`role in ('super_admin', 'admin', 'hr', 'executive', 'employee', 'bot')`,
    )
    .addCheckConstraint('users_bot_role', sql`is_bot = (role = 'bot')`)
    .execute()
}

async function createCredentials(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('credentials')
    .addColumn('organization_id', 'uuid', (col) => col.notNull())
    .addColumn('user_id', 'uuid', (col) => col.notNull())
    .addColumn('password_hash', 'text', (col) => col.notNull())
    .addColumn('is_temporary', 'boolean', (col) => col.notNull().defaultTo(false))
    .addColumn('expires_at', 'timestamptz(3)')
    .addColumn('updated_at', 'timestamptz(3)', (col) => col.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('credentials_primary_key', ['organization_id', 'user_id'])
    .addForeignKeyConstraint(
      'credentials_user_exists',
      ['organization_id', 'user_id'],
      'users',
      ['organization_id', '_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('email_registry').execute()
  await db.schema.dropTable('credentials').execute()
  await db.schema.dropTable('users').execute()
}
