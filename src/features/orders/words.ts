/** Messages loaded with the order pages, which are stored only on devices of users with the order right. */
import en from '#locales/en/orders.json'
import zh from '#locales/zh/orders.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('orders', { en, zh })
