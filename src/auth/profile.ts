import type { Schema } from '../contract.js'
import { createId } from '../identifiers.js'
import { usernameFromEmail } from '../users/username.js'

type Registration = Schema<'Registration'>

/** The first admin of an organization, with what a registration says of the person. */
export function adminFromRegistration(organization_id: string, body: Registration) {
  const email = body.email.trim()
  return {
    organization_id,
    _id: createId(),
    username: usernameFromEmail(email),
    email,
    role: 'admin' as const,
    full_name: `${body.first_name.trim()} ${body.last_name.trim()}`.trim(),
    education: (body.education ?? []).map(educationItem),
    certifications: (body.certifications ?? []).map(certificationItem),
    hobbies: body.hobbies ?? [],
    career_goals: given({
      dream_job: body.dream_role,
      experience_level: body.experience_level,
      career_goal: body.career_goals,
    }),
    metadata: given({
      phone: body.phone,
      location: body.location,
      skills: body.skills,
      experience: body.experience,
    }),
  }
}

export function educationItem(item: Schema<'RegistrationEducation'>): Schema<'Education'> {
  const { degree, field_of_study, university, graduation_year } = item
  return given({ degree, field_of_study, university, graduation_year: yearText(graduation_year) })
}

export function certificationItem(
  item: Schema<'RegistrationCertification'>,
): Schema<'Certification'> {
  const { name, issuer, year } = item
  return given({ name, issuer, year: yearText(year) })
}

const yearText = (year: string | number | undefined) => year?.toString()

type Given<T> = { [Key in keyof T]?: NonNullable<T[Key]> }

/** The fields that have a value. */
function given<T extends object>(fields: T): Given<T> {
  const entries = Object.entries(fields).filter(
    ([, value]) => value !== undefined && value !== null,
  )
  return Object.fromEntries(entries) as Given<T>
}
