import en from '#locales/en/audit.json'
import zh from '#locales/zh/audit.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('audit', { en, zh })
