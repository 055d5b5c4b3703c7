import en from '#locales/en/modules.json'
import zh from '#locales/zh/modules.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('modules', { en, zh })
