export const isDialogOpen = () => document.querySelector('dialog, [role="dialog"], [role="alertdialog"]') !== null;
