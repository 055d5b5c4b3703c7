/**
 * The specification's own list of calls (tables of accounts, contracts, services, catalogue), with parameters in the notation of the
 * contract.
 */
export const specifiedCalls = `
POST /api/m18s/token
POST /api/m18s/logout
GET /api/m18s/user
GET /api/m18s/settings
PUT /api/m18s/user/:id
POST /api/m18s/asset
POST /api/m18s/password
GET /api/m18s/company/:id
PUT /api/m18s/company/:id
GET /api/m18s/company/:companyId/users
POST /api/m18s/user
PUT /api/m18s/company-user/:id
DELETE /api/m18s/user/:id
POST /api/users/activatemail/:id
POST /api/users/disable/:id
POST /api/users/enable/:id
GET /api/query/code
GET /api/query/user
GET /api/query/order
GET /api/query/field
POST /public/users/activatemail
POST /public/company
GET /public/users/activate
POST /public/users/activate
POST /public/password/resetmail
POST /public/password/reset
GET /public/service/url
GET /public/asset/:id
GET /api/request/:id
DELETE /api/request/:id
POST /api/batch
GET /api/price
GET /api/prices/:id
GET /api/company/:companyId/sorder
POST /api/sorder
GET /api/sorder/:id
DELETE /api/sorder/:id
POST /api/sorder/alertDate
POST /api/calculate
POST /api/contract
DELETE /api/contract/:id
GET /api/contract/:id/history
POST /api/payment/:contract
POST /public/payment/stripe
POST /public/payment/alipay
POST /api/pdb/order
GET /api/pdb/order
GET /api/pdb/traffic/:serviceId
GET /api/pdb/traffic
POST /api/print
GET /public/print/:key
GET /api/aws/service
POST /api/aws/service
POST /api/aws/service/update/:id
DELETE /api/aws/service/remove/:id
DELETE /api/aws/service/:id
POST /api/aws/resetpwd/:id
POST /api/aws/reboot/:id
POST /api/aws/changecfg
POST /api/aws/log
GET /public/log/:key
GET /api/systrail
GET /api/systrail/checkpoint
GET /api/systrail/tile/:level/:index
GET /api/systrail/export
GET /api/apphistory
GET /public/resource/:id
POST /api/app/upload
POST /api/app
GET /api/app
GET /api/module
GET /api/module/:id
PUT /api/module/:id
DELETE /api/module/:id
POST /api/module
GET /api/module/info
GET /api/module/relation
POST /api/module/validate
GET /api/module/price/:priceId
GET /api/pricelist
POST /api/pricelist
PUT /api/pricelist
DELETE /api/pricelist/:id
POST /api/template/price/export
GET /public/template/price/:key
POST /api/template/price/upload
POST /api/template/price/import
`
  .trim()
  .split('\n')

/** Calls that the specified pages need, but that the specification does not list. */
export const addedCalls = [
  'GET /api/m18s/setup',
  'PUT /api/m18s/setup',
  'GET /api/m18s/notification',
  'POST /api/m18s/notification/read',
  'GET /api/m18s/notification/choice',
  'PUT /api/m18s/notification/choice',
  'PUT /api/m18s/notification/push',
  'DELETE /api/m18s/notification/push',
  'POST /api/systrail/verify',
  'POST /api/aws/password/:id',
  'GET /api/aws/log/:id',
  'POST /api/aws/recheck',
  'GET /api/systrail/activity',
  'GET /api/systrail/range',
  'GET /api/systrail/alarms',
  'POST /api/systrail/keep',
  'GET /api/company',
  'GET /api/customer',
  'GET /api/customer/:id',
  'GET /api/customer/:companyId/payment',
  'GET /api/customer/:companyId/note',
  'POST /api/customer/:companyId/note',
  'PUT /api/customer/:companyId/note/:id',
  'DELETE /api/customer/:companyId/note/:id',
  'GET /api/m18s/consent',
  'POST /api/m18s/consent',
  'DELETE /api/m18s/consent/:id',
  'GET /api/customer/:companyId/consent',
  'POST /api/customer/:companyId/acting',
  'DELETE /api/m18s/acting',
  'GET /api/sorder',
  'GET /api/invoice',
  'GET /api/sinvoice',
  'GET /api/module/contracts',
  'POST /api/pricelist/rehearse',
  'POST /api/pricelist/:id/reinstate',
  'GET /api/pricelist/uses',
  'GET /api/app/upload',
  'GET /api/m18s/calendar',
  'POST /api/m18s/calendar',
  'DELETE /api/m18s/calendar',
  'GET /public/calendar/:key/contracts.ics',
  'POST /api/contract/:id/undo',
  'POST /api/payment/:contract/check',
  'POST /api/payments',
  'POST /api/payments/check',
  'POST /api/payment/reconcile',
  'GET /api/payment/tasks',
  'POST /api/payment/tasks/:id/refund',
  'POST /api/payment/tasks/:id/apply',
  'POST /api/invoice/:id/refund',
  'GET /api/payment/refunds',
  'POST /api/payment/refunds/:id/settle',
  'GET /api/payment/money-check',
  'POST /api/proforma',
  'GET /api/bank-transfers',
  'POST /api/bank-transfers',
  'POST /api/bank-transfers/import',
  'POST /api/bank-transfers/:id/credit',
  'POST /api/bank-transfers/:id/close',
  'POST /api/bank-transfers/:id/correct',
  'GET /api/bank-transfers/payable/:id',
  'POST /api/payment/refunds/:id/withdraw',
  'POST /api/payment/money-check',
  'POST /api/credit/withdraw',
  'GET /api/money',
  'GET /api/credit',
  'GET /public/payment/return/:key',
  'GET /public/password/reset',
  'GET /api/m18s/mfa',
  'GET /api/m18s/user/:id/mfa',
  'POST /api/m18s/user/:id/mfa/reset',
  'PUT /api/m18s/mfa/factor',
  'POST /api/m18s/mfa/begin',
  'POST /api/m18s/mfa/prove',
  'POST /api/m18s/mfa/password',
  'POST /api/m18s/mfa/setup',
  'POST /api/m18s/mfa/factor',
  'POST /api/m18s/mfa/remove',
  'POST /api/m18s/mfa/recovery',
  'PUT /api/m18s/mfa/company',
  'POST /public/mfa/setup',
  'POST /public/mfa/factor',
  'GET /api/m18s/sessions',
  'DELETE /api/m18s/sessions',
  'DELETE /api/m18s/sessions/:id',
  'DELETE /api/m18s/user/:id/sessions',
  'DELETE /api/m18s/user/seal-keys',
  'POST /api/pdb/traffic/:serviceId',
  'GET /api/pdb/backup',
  'POST /api/pdb/backup',
  'POST /api/pdb/restore',
  'GET /api/pdb/plan/:serviceId',
]

/** Messages of portal 8, word for word. */
export const messageCatalogue = {
  invalid_grant: 'Password Or User is wrong!',
  PASSWORD_UNCHANGE: 'New password is same as the original password.',
  INVALID_ORG_PASSWORD: 'The original password is wrong',
  NOT_SUPPORT: 'This function is not supported!',
  RESOURCE_LOCKED: '{{user}} is doing {{action}}, please try again later.',
  USER_STATUS_DEACTIVATED: 'User is not activated',
  USER_STATUS_INVALID: 'User is in invalid status, please contact your system administrator',
  DUP_USER: 'User with the same email exists already.',
  USER_NOT_EXIST: "Can't find this user.",
  NO_ACTIVATE_KEY: 'No activate key provided.',
  INVALID_ACTIVATE_KEY: 'Activate key is invalid or overdue.',
  ACTIVATE_OK: 'Activate successful',
  INVALID_RESETPWD_LINK: 'Password reset link is invalid or overdue.',
} as const
