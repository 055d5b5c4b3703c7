/** Messages of the first steps, loaded with their code. */
import en from '#locales/en/setup.json'
import zh from '#locales/zh/setup.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('setup', { en, zh })
