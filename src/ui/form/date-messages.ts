/** The words of date fields come with them: few pages have one. */
import en from '#locales/en/dates.json'
import zh from '#locales/zh/dates.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('dates', { en, zh })
