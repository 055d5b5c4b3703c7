/** Messages of the payment panel. They are loaded together with its code. */
import en from '#locales/en/payment.json'
import zh from '#locales/zh/payment.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('payment', { en, zh })
