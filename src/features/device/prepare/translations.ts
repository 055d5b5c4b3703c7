import en from '#locales/en/prepare.json'
import zh from '#locales/zh/prepare.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('prepare', { en, zh })
