/** Messages of the money page, loaded with its code: only devices of the provider's staff store them. */
import en from '#locales/en/money-page.json'
import zh from '#locales/zh/money-page.json'
import enTransfers from '#locales/en/bank-transfers.json'
import zhTransfers from '#locales/zh/bank-transfers.json'
import enStatements from '#locales/en/statements.json'
import zhStatements from '#locales/zh/statements.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('money-page', { en, zh })
addMessages('statements', { en: enStatements, zh: zhStatements })
addMessages('bank-transfers', { en: enTransfers, zh: zhTransfers })
