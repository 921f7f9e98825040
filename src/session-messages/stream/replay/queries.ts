import { sql } from 'kysely'
import { defaultPageSize } from '../../../database/lists/pages.js'
import { type ParametersOf, prepare } from '../../../database/statements.js'
import type { OfSession } from '../../../simulation-sessions/queries.js'
import type { ShownMessage } from '../../queries.js'
import { bytesOfMessage, messageColumns, pageBytes } from '../open-sessions/message-pages.js'

/** Returns the messages after `after` that fit into a page, at least one. */
export const selectPage = prepare(
  'select_session_page',
  (_db, { organization_id, session_id, after }: ParametersOf<OfSession & { after: number }>) =>
    sql<ShownMessage>`
      select * from (
        select next.*, sum(own_bytes) over (order by seq) as all_bytes
        from (
          select ${messageColumns}, ${bytesOfMessage} as own_bytes
          from session_messages as message
          where organization_id = ${organization_id} and session_id = ${session_id}
            and seq > ${after}
          order by seq limit ${sql.lit(defaultPageSize)}
        ) as next
      ) as measured
      where all_bytes <= ${sql.lit(pageBytes)} or all_bytes = own_bytes
      order by seq`,
)
