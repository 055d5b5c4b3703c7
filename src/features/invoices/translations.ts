/** Messages of the invoices, loaded with their code: only devices of users with the order right store them. */
import en from '#locales/en/invoices.json'
import zh from '#locales/zh/invoices.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('invoices', { en, zh })
