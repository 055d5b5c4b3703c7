/** Messages of the customers, loaded with their code: only devices of the provider's staff store them. */
import duesEn from '#locales/en/dues.json'
import duesZh from '#locales/zh/dues.json'
import en from '#locales/en/customers.json'
import zh from '#locales/zh/customers.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('customers', { en, zh })
addMessages('dues', { en: duesEn, zh: duesZh })
