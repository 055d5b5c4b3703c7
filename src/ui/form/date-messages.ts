/** Adds the messages of date fields. They are not loaded with the first page, because few pages have date fields. */
import en from '#locales/en/dates.json'
import zh from '#locales/zh/dates.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('dates', { en, zh })
