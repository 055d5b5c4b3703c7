/** Messages loaded with the contract page, which is stored only on devices of users with the order right. */
import '#features/orders/wizard-words.ts'
import en from '#locales/en/contract.json'
import zh from '#locales/zh/contract.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('contract', { en, zh })
