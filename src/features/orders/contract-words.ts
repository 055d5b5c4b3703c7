/** The words of a contract's page come with its code, which only the devices of people who may order keep. */
import '#features/orders/wizard-words.ts'
import en from '#locales/en/contract.json'
import zh from '#locales/zh/contract.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('contract', { en, zh })
