import { timestamp } from '../database/expressions.js'

/** The contract's ChannelTemplate. */
export const channelTemplateColumns = [
  '_id',
  'organization_id',
  'scenario_name',
  'channel_name',
  'message_templates',
  'is_active',
  'apply_to_existing_users',
  timestamp('channel_templates', 'created_at'),
  timestamp('channel_templates', 'updated_at'),
] as const
