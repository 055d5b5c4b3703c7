/** The words of ordering come with its code, which only people who may order have. */
import en from '#locales/en/wizard.json'
import zh from '#locales/zh/wizard.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('wizard', { en, zh })
