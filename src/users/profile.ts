import type { Schema } from '../contract.js'

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

/** The fields that are neither undefined nor null. */
export function given<T extends object>(fields: T): Given<T> {
  const entries = Object.entries(fields).filter(
    ([, value]) => value !== undefined && value !== null,
  )
  return Object.fromEntries(entries) as Given<T>
}
