/** Messages of the order wizard. They are loaded with its code, which only users with the order right have. */
import en from '#locales/en/wizard.json'
import zh from '#locales/zh/wizard.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('wizard', { en, zh })
