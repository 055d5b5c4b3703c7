/** The words of paying come with its code. */
import en from '#locales/en/payment.json'
import zh from '#locales/zh/payment.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('payment', { en, zh })
