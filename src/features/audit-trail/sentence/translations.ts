import en from '#locales/en/sentences.json'
import zh from '#locales/zh/sentences.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('sentences', { en, zh })
