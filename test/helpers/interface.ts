import type { OperationId } from '../../src/contract.js'

/**
 * The published interface, from its first table to its last. `!` means required, `?` nullable,
 * `= x` a default, and `3..50` bounds. Some lower bounds are ours, because the interface has none.
 * The tests of the operations check the upper limits of requests.
 */
export const answers: Record<string, Record<string, string>> = {
  User: {
    username: 'string 3..50 !',
    email: 'string !',
    organization_id: 'string !',
    _id: 'string ?',
    full_name: 'string ?',
    role: 'super_admin|admin|hr|executive|employee|bot = employee',
    is_bot: 'boolean = false',
    is_active: 'boolean = true',
    avatar_url: 'string ?',
    bio: 'string ?',
    education: 'Education[]',
    certifications: 'Certification[]',
    hobbies: 'string[]',
    career_goals: 'CareerGoal',
    created_at: 'date-time',
    updated_at: 'date-time',
    last_seen: 'date-time ?',
    metadata: 'object',
  },
  Education: {
    degree: 'string',
    field_of_study: 'string',
    university: 'string',
    graduation_year: 'string',
  },
  Certification: { name: 'string', year: 'string', issuer: 'string' },
  CareerGoal: {
    dream_job: 'string',
    experience_level: 'string',
    career_goal: 'string',
    current_role: 'string',
    department: 'string',
  },
  ChannelTemplate: {
    channel_name: 'string !',
    _id: 'string ?',
    organization_id: 'string ?',
    scenario_name: 'string = default',
    message_templates: 'MessageTemplate[]',
    is_active: 'boolean = true',
    apply_to_existing_users: 'boolean = false',
    created_at: 'date-time',
    updated_at: 'date-time',
  },
  MessageTemplate: {
    sender_character_id: 'string',
    content: 'string',
    offset_hours: 'integer',
    thread_replies: 'ThreadReply[]',
    metadata: 'object',
  },
  ThreadReply: {
    sender_character_id: 'string',
    content: 'string',
    offset_minutes: 'integer',
    metadata: 'object',
  },
  AuditEvent: {
    organization_id: 'string !',
    category: 'string !',
    event_type: 'string !',
    _id: 'string ?',
    status: 'string = info',
    actor_type: 'string ?',
    actor_id: 'string ?',
    case_id: 'string ?',
    request_id: 'string ?',
    conversation_id: 'string ?',
    channel_id: 'string ?',
    thread_id: 'string ?',
    metadata: 'object',
    created_at: 'date-time',
    updated_at: 'date-time',
  },
  TokenGrant: {
    access_token: 'string !',
    user_id: 'string !',
    username: 'string !',
    organization_id: 'string !',
    role: 'super_admin|admin|hr|executive|employee|bot !',
    token_type: 'string = bearer',
  },
  InvitedMember: {
    user: 'User !',
    organization_name: 'string !',
    email_sent: 'boolean !',
    temporary_password: 'string ?',
  },
  ValidationError: { detail: 'ValidationErrorItem[] !' },
  ValidationErrorItem: { loc: 'string[] !', msg: 'string !', type: 'string !' },
}

export const requests: Record<string, Record<string, string>> = {
  Registration: {
    email: 'string 3.. !',
    password: 'string 8.. !',
    organization_name: 'string 1.. !',
    first_name: 'string 1.. !',
    last_name: 'string 1.. !',
    phone: 'string ?',
    location: 'string ?',
    education: 'RegistrationEducation[]',
    skills: 'string[]',
    experience: 'Experience[]',
    dream_role: 'string ?',
    experience_level: 'string ?',
    career_goals: 'string ?',
    hobbies: 'string[]',
    certifications: 'RegistrationCertification[]',
  },
  Invitation: {
    first_name: 'string 1.. !',
    last_name: 'string 1.. !',
    email: 'string 3.. !',
    job_title: 'string ?',
    department: 'string ?',
    access_level: 'string ?',
    auto_assign_default_workdays: 'boolean = true',
  },
  QuickSetup: {
    organization_id: 'string ?',
    scenario_type: 'string 1.. = hr_workforce',
    org_culture: 'string ?',
    pressure_model: 'string ?',
    team_topology: 'string ?',
    meeting_model: 'string ?',
    evaluation_model: 'string ?',
    relationship_model: 'string ?',
    consequence_model: 'string ?',
    knowledge_model: 'string ?',
    team_size: 'integer 1.. ?',
    include_template_payload: 'boolean = false',
    overwrite_existing: 'boolean = true',
    metadata: 'object',
  },
  ExperimentUpdate: {
    name: 'string ?',
    hypothesis: 'string ?',
    status: 'string 1.. ?',
    control_session_ids: 'string[] ?',
    intervention_session_ids: 'string[] ?',
    assignment_ids: 'string[] ?',
    start_at: 'date-time ?',
    end_at: 'date-time ?',
    metadata: 'object',
  },
  BrandingUpdate: {
    company_name: 'string ?',
    logo_url: 'string ?',
    primary_color: 'string ?',
    sidebar_color: 'string ?',
    departments: 'string[] ?',
    welcome_message: 'string ?',
  },
}

interface Endpoint {
  is: string
  path?: string
  query?: Record<string, string>
  body?: string
  answer: [status: number, schema?: string]
}
const simulation = '/api/v1/admin/simulation'
export const endpoints: Partial<Record<OperationId, Endpoint>> = {
  register: {
    is: 'POST /api/v1/auth/register',
    body: 'Registration',
    answer: [201, 'TokenGrant'],
  },
  inviteMember: {
    is: 'POST /api/v1/users/invite/{organization_id}',
    path: 'organization_id',
    body: 'Invitation',
    answer: [201, 'InvitedMember'],
  },
  listUsers: { is: 'GET /api/v1/users', answer: [200, 'User[]'] },
  applyQuickSetup: {
    is: `POST ${simulation}/scenario-blueprints/quick-setup/apply`,
    body: 'QuickSetup',
    answer: [200],
  },
  updateExperiment: {
    is: `PUT ${simulation}/team-drills/experiments/{experiment_id}`,
    path: 'experiment_id',
    body: 'ExperimentUpdate',
    answer: [200],
  },
  listChannelTemplates: {
    is: `GET ${simulation}/channel-templates`,
    query: { organization_id: 'string ?', scenario_name: 'string ?' },
    answer: [200, 'ChannelTemplate[]'],
  },
  listAuditEvents: {
    is: `GET ${simulation}/audit-events/{organization_id}`,
    path: 'organization_id',
    query: {
      category: 'string ?',
      event_type: 'string ?',
      status: 'string ?',
      limit: 'integer 1..500 = 100',
    },
    answer: [200, 'AuditEvent[]'],
  },
  updateBranding: {
    is: 'PUT /api/v1/organizations/{organization_id}/branding',
    path: 'organization_id',
    body: 'BrandingUpdate',
    answer: [200],
  },
}
