import en from '#locales/en/storedTrail.json'
import zh from '#locales/zh/storedTrail.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('storedTrail', { en, zh })
