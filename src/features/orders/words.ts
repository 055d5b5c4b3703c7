/** The words of orders come with the code that says them: only devices of people who order keep either. */
import en from '#locales/en/orders.json'
import zh from '#locales/zh/orders.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('orders', { en, zh })
