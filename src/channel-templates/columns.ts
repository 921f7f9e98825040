/** The contract's ChannelTemplate. */
export const channelTemplateColumns = [
  '_id',
  'organization_id',
  'scenario_name',
  'channel_name',
  'message_templates',
  'is_active',
  'apply_to_existing_users',
  'created_at',
  'updated_at',
] as const
