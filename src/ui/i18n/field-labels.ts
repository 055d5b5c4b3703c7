/** Labels of the fields of records, for changes that are listed field by field. They come with the code that lists them. */
import en from '#locales/en/field-labels.json'
import zh from '#locales/zh/field-labels.json'
import { addMessages, i18n } from '#ui/i18n/messages.ts'

addMessages('field-labels', { en, zh })

/** Undefined for a field that has no label. */
export const findFieldLabel = (field: string): string | undefined =>
  Object.hasOwn(en, field) ? i18n.t(field as keyof typeof en, { ns: 'field-labels' }) : undefined
