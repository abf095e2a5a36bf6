import type { RouteName } from '@regie/contract/routes.ts';

interface ScreenCalls {
  /** Calls the screen depends on: everyone who may open it may make them. */
  needs: readonly RouteName[];
  /** Optional calls, for those with the capability (`can(…)`). */
  uses?: readonly RouteName[];
}

/** Calls of the shell, for those with the capability. */
export const frameUses: readonly RouteName[] = [
  'search',
  'getWaiting',
  'startStepUp',
  'stepUp',
  'listViews',
  'saveView',
  'deleteView',
  'saveSidebar',
];

/** Calls of the panel that shows a record's signatures. */
const signing = ['getSignable', 'startSigning', 'sign', 'withdrawSignature', 'askSignature'] as const;

/** What the frame of an account calls, on each of its tabs. */
const accountFrame = [
  'getProfile',
  'getAccountPayable',
  'importProfileLibraries',
  'addReferral',
  'lookupAccounts',
  'exportAccount',
  'getErasure',
  'eraseAccount',
] as const;

/** What each screen calls, by its path. */
export const screenCalls: Record<string, ScreenCalls> = {
  '/signin': { needs: ['listSignInWays', 'signIn', 'signInWithFactor', 'askProviderFactor'] },
  '/signup': { needs: ['findInvitation', 'signUp'] },
  '/reset-password': { needs: ['requestPasswordReset'] },
  '/reset-password-action': { needs: ['findReset', 'resetPassword'] },
  '/': { needs: ['getHome'], uses: ['listMonths', 'getInsightHistory', 'listInsightChanges'] },
  '/accounts/profiles': { needs: ['listProfiles'] },
  '/accounts/profiles/new': { needs: ['getNewProfile', 'createProfile'] },
  '/accounts/profiles/$id': { needs: [...accountFrame, 'getAccountFigures', 'getStatement'] },
  '/accounts/$id/statement': { needs: [...accountFrame, 'getStatement', 'getStatementParties', 'listStatementMonths'] },
  '/accounts/$id/releases': { needs: [...accountFrame, 'listProfileLibraries'] },
  '/accounts/$id/billings': {
    needs: [...accountFrame, 'listBillingAccounts', 'createBankAccount', 'createPaypalAccount', 'revealBillingAccount'],
  },
  '/accounts/$id/invoices': { needs: [...accountFrame, 'listInvoices'] },
  '/accounts/$id/contracts': {
    needs: [...accountFrame, 'listCustomContracts', 'getCustomContract'],
    uses: ['listTickets', 'deleteCustomContract'],
  },
  '/accounts/$id/referrals': { needs: [...accountFrame, 'listReferrals', 'deleteReferral'] },
  '/accounts/$id/journal': { needs: [...accountFrame], uses: ['listJournal'] },
  '/accounts/profiles/$id/edit': { needs: [...accountFrame, 'editProfile'] },
  '/accounts/bank-account/$id': { needs: ['getBillingAccount', 'editBankAccount', 'revealBillingAccount'] },
  '/accounts/paypal-account/$id': { needs: ['getBillingAccount', 'editPaypalAccount'] },
  '/accounts/invoices': { needs: ['listInvoices', 'lookupAccounts'] },
  '/accounts/invoice/$id': { needs: ['getInvoice', 'editInvoice'] },
  '/accounts/manage-admins': {
    needs: ['listAdmins'],
    uses: [
      'listSignables',
      ...signing,
      'addSignatory',
      'removeSignatory',
      'exportAdmin',
      'listLeftAdmins',
      'eraseAdmin',
      'createAdmin',
      'editAdmin',
      'deleteAdmin',
      'inviteAdmin',
      'cancelInvitation',
      'askFactorLift',
      'cancelFactorLift',
    ],
  },
  '/library/releases/unpaid': { uses: ['countReleases', 'lookupAccounts'], needs: ['listUnpaidReleases'] },
  '/library/releases/paid': { uses: ['countReleases', 'lookupAccounts'], needs: ['listPaidReleases'] },
  '/library/releases/delivered': { uses: ['countReleases', 'lookupAccounts'], needs: ['listDeliveredReleases'] },
  '/library/releases/unpublished': { uses: ['countReleases', 'lookupAccounts'], needs: ['listUnpublishedReleases'] },
  '/library': { needs: ['countReleases'] },
  '/library/release/$id': {
    needs: ['getResources'],
    uses: [
      'getReleaseIncome',
      'orderTracks',
      'addTrack',
      'createArtist',
      'editTrack',
      'deleteTrack',
      'deleteRelease',
      'closeRelease',
      'reopenRelease',
      'withdrawRelease',
      'lookupPeople',
      'getLicenceContract',
      'replaceCover',
      'downloadCover',
      'uploadAudio',
      'getAudioUpload',
      'cancelAudioUpload',
      'downloadAudio',
      'getWaveform',
    ],
  },
  '/library/release/$id/edit': {
    needs: ['getRelease', 'editRelease', 'importTracks'],
    uses: ['getResources', 'addTrack', 'editTrack', 'deleteTrack', 'orderTracks', 'uploadAudio'],
  },
  '/library/release/$id/delivery': { needs: ['getRelease', 'quoteDelivery', 'saveDelivery'] },
  '/release/new/$step': {
    needs: [
      'createRelease',
      'getRelease',
      'editRelease',
      'quoteDelivery',
      'saveDelivery',
      'startPayment',
      'payOffline',
    ],
    uses: ['lookupAccounts'],
  },
  '/library/tracks': { needs: ['listLibraryTracks'] },
  '/library/artists': { needs: ['listArtists'], uses: ['createArtist', 'editArtist'] },
  '/library/contributors': { needs: ['listContributors'] },
  '/library/editors': { needs: ['listEditors'] },
  '/reporting': { needs: ['listReports', 'lookupAccounts'] },
  '/payouts/pending': { needs: ['listPendingPayouts'], uses: ['preflightBatch', 'createBatch'] },
  '/payouts/paid': { needs: ['listPaidPayouts', 'getPayoutReceipt', 'markPayoutDownloaded'] },
  '/payouts/cancelled': { needs: ['listCancelledPayouts'] },
  '/payouts/payout/$id': {
    needs: ['getPayout', 'editPayout', 'deletePayout', 'revealPayoutAccount'],
    uses: ['getPayoutReceipt', 'markPayoutDownloaded', ...signing],
  },
  '/payouts/request': { needs: ['lookupAccounts', 'getRequestOptions', 'requestPayout'] },
  '/payouts/unpaid-accounts': {
    needs: ['listUnpaidAccounts'],
    uses: ['getRequestOptions', 'requestPayout', 'requestBalances', 'payEveryone'],
  },
  '/payouts/batches': { needs: ['listBatches'] },
  '/payouts/batches/$id': {
    needs: ['getBatch', 'listBatchPayouts'],
    uses: [...signing, 'exportBatch', 'payBatch', 'voidBatch', 'listManualPayments', 'getBatchSepa', 'getBatchPaypal'],
  },
  '/reporting/all': { needs: ['listReports', 'lookupAccounts'] },
  '/reporting/platform': { needs: ['listReports', 'lookupAccounts'] },
  '/reporting/youtube': { needs: ['listReports', 'lookupAccounts'] },
  '/reporting/report/$id': {
    needs: ['getReport', 'listReportStatements', 'listReportLines', 'getStatementLines'],
    uses: ['deleteReport'],
  },
  '/reporting/platform/add': {
    needs: [
      'lookupTracks',
      'createReport',
      'previewMonth',
      'automaticReport',
      'importReportBatch',
      'deleteReportsByMonth',
    ],
    uses: ['getImport'],
  },
  '/reporting/youtube/add': { needs: ['lookupAccounts', 'createYoutubeReport'] },
  '/reporting/imports': { needs: ['listImports'], uses: ['postImport', 'discardImport'] },
  '/reporting/import/$id': {
    needs: ['getImport', 'listUnsavedRows'],
    uses: ['previewReversal', 'reverseImport', 'postImport', 'discardImport', ...signing],
  },
  '/reporting/statements': {
    needs: ['listStatements', 'listStatementSources', 'listPresets', 'followStatements'],
    uses: ['deletePreset', 'beginStatementUpload', 'uploadStatement', 'cancelStatementUpload'],
  },
  '/reporting/statements/$id': {
    needs: [
      'listPresets',
      'getStoreStatement',
      'getStatementDifferences',
      'getStatementLines',
      'downloadStatement',
      'followStatements',
    ],
    uses: [
      'editStatement',
      'readStatementWith',
      'readStatementMember',
      'getStatementHead',
      'checkStatement',
      'uncheckStatement',
      'downloadLines',
      'replaceStatement',
      'deleteStatement',
      'beginStatementUpload',
      'uploadStatement',
      'cancelStatementUpload',
    ],
  },
  '/reporting/statements/$id/mapping': {
    needs: ['getStoreStatement', 'getStatementHead', 'listPresets', 'createPreset', 'readStatementWith'],
  },
  '/reporting/months': { needs: ['listMonths'] },
  '/reporting/months/$month': {
    needs: ['getMonth'],
    uses: [
      ...signing,
      'previewMonth',
      'automaticReport',
      'reverseImport',
      'getStoreStatement',
      'checkStatement',
      'checkStatements',
      'uncheckStatement',
      'downloadLines',
    ],
  },
  '/reporting/unmatched': {
    needs: [
      'listUnmatched',
      'getUnmatchedSummary',
      'getUnmatchedItem',
      'listUnmatchedLines',
      'listAliases',
      'lookupTracks',
    ],
    uses: ['assignTrack', 'assignTracks', 'unassignTrack'],
  },
  '/reporting/insight': { needs: ['getInsight', 'listInsight', 'getInsightHistory'] },
  '/reporting/insight/pivot': { needs: ['getPivot', 'lookupTracks', 'lookupAccounts'], uses: ['lookupReleases'] },
  '/reporting/transaction/$id': { needs: ['getLedgerTransaction', 'explainPosting'] },
  '/services/promo-codes': { needs: ['listPromoCodes'], uses: ['deletePromoCode'] },
  '/services/promo-codes/add': { needs: ['addPromoCode'] },
  '/services/smartlinks/pending': {
    needs: ['listSmartlinks', 'getSmartlinkClicks'],
    uses: ['createSmartlink', 'deleteSmartlink', 'lookupReleases'],
  },
  '/services/smartlinks/enabled': {
    needs: ['listSmartlinks', 'getSmartlinkClicks'],
    uses: ['createSmartlink', 'deleteSmartlink', 'lookupReleases'],
  },
  '/services/smartlink/$id/edit': { needs: ['getSmartlink'], uses: ['editSmartlink'] },
  '/services/subscriptions': {
    needs: ['listSubscriptions', 'createSubscription', 'cancelSubscription', 'lookupAccounts'],
  },
  '/contracts/create': {
    needs: ['createCustomContract', 'listContractTemplates', 'getContractValues', 'lookupAccounts'],
  },
  '/accounting/platform': { needs: ['getAccountingStats', 'listAccountingReports', 'getAccountingMonths'] },
  '/accounting/youtube': { needs: ['getAccountingStats', 'listAccountingReports', 'getAccountingMonths'] },
  '/accounting/exchange-rates': { needs: ['listExchangeRates'], uses: ['putExchangeRate', 'importEcbRates'] },
  '/tools/ticket/opened': {
    needs: ['listTickets'],
    uses: ['createTicket', 'editTicket', 'lookupAccounts', 'lookupTracks'],
  },
  '/tools/ticket/closed': {
    needs: ['listTickets'],
    uses: ['createTicket', 'editTicket', 'lookupAccounts', 'lookupTracks'],
  },
  '/tools/edit-isrc-or-barcode': {
    needs: ['listCodeEdits', 'judgeBulkRows', 'editIsrcs', 'editBarcodes', 'listUnsavedCodes', 'reverseCodeEdit'],
  },
  '/tools/empty-isrc-barcode': {
    needs: ['listEmptyCodes'],
    uses: ['fillIsrc', 'fillBarcode', 'listNextIsrcs', 'assignIsrcs'],
  },
  '/tools/isrc-redundancy': { needs: ['listDuplicateCodes'] },
  '/tools/naming-redundancy': { needs: ['listDuplicateTitles'] },
  '/settings': { needs: ['getSettings', 'putSettings'] },
  '/system': { needs: ['getSystem'] },
  '/account/security': {
    needs: [
      'getSecurity',
      'sendFactorCode',
      'startTotp',
      'addTotp',
      'startPasskey',
      'addPasskey',
      'removeFactor',
      'renewRecoveryCodes',
      'changeOwnPassword',
      'refuseFactorLift',
      'endSession',
      'endOtherSessions',
    ],
  },
  '/signatures': { needs: ['listSignables'] },
  '/signatures/$subject/$id': { needs: [...signing] },
  '/journal': { needs: ['listJournal'], uses: ['listAdmins'] },
};
